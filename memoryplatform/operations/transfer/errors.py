"""What can go wrong with a file. The texts are shown to the tenant; they quote names of fields, never their contents.

TransferError
├── ImportInvalid      a line that can't be taken; says which
├── ImportOutOfStep    the lines are not the ones that come next
├── ImportUnderWay     another file is not whole yet
├── BankNotEmpty       an import begins with nothing
├── TooManyExports     the tenant fetches others at the moment
├── ExportTooSlow      its time is over, and so is the file
└── ExportLeft         nobody fetches it any more; told to nobody
"""


class TransferError(Exception):
    code = "transfer_error"


class ImportInvalid(TransferError):
    code = "import_invalid"

    def __init__(self, line: int, fault: str) -> None:
        super().__init__(f"Line {line}: {fault}")
        self.line = line
        self.fault = fault


class ImportOutOfStep(TransferError):
    code = "import_out_of_step"


class ImportUnderWay(TransferError):
    code = "import_under_way"

    def __init__(self, next_line: int) -> None:
        super().__init__(
            f"Another file is being imported, and its line {next_line} is waited for: "
            "send the rest of that one first, or delete the bank."
        )


class BankNotEmpty(TransferError):
    code = "bank_not_empty"

    def __init__(self, bank_id: str) -> None:
        super().__init__(f"Bank '{bank_id}' holds memories already: import into a new one.")


class TooManyExports(TransferError):
    code = "too_many_exports"

    def __init__(self, most: int) -> None:
        super().__init__(f"At most {most} exports at once: fetch those to their ends first.")


class ExportLeft(TransferError):
    code = "export_left"

    def __init__(self) -> None:
        super().__init__("Whoever fetched the export has gone.")


class ExportTooSlow(TransferError):
    code = "export_too_slow"

    def __init__(self) -> None:
        super().__init__("The export was not fetched in the time that it has.")
