"""Mental models: kept by callers, and written anew when their memories changed."""
