setup 3
