"""The failures of exports and imports. The tenant sees the texts; they quote names of fields, never their contents.

TransferError
├── ImportInvalid      a line is invalid; names the line
├── ImportOutOfStep    the lines are not the next ones
├── ImportUnderWay     another file is not complete yet
├── BankNotEmpty       an import needs an empty bank
├── TooManyExports     the tenant has the maximum of exports under way
├── ExportTooSlow      the time of the export is over
└── ExportLeft         the client has left; nobody sees this error
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
            f"Another file is being imported and continues with line {next_line}: "
            "send the rest of that file first, or delete the bank."
        )


class BankNotEmpty(TransferError):
    code = "bank_not_empty"

    def __init__(self, bank_id: str) -> None:
        super().__init__(f"Bank '{bank_id}' holds memories already: import into a new one.")


class TooManyExports(TransferError):
    code = "too_many_exports"

    def __init__(self, most: int) -> None:
        super().__init__(f"At most {most} exports at once: fetch the others to their ends first.")


class ExportLeft(TransferError):
    code = "export_left"

    def __init__(self) -> None:
        super().__init__("The client of the export has left.")


class ExportTooSlow(TransferError):
    code = "export_too_slow"

    def __init__(self) -> None:
        super().__init__("The export was not fetched within its time limit.")
