"""The demo bank: six weeks in the memory of Juno, the research aide of an invented company."""
