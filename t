start64 3
