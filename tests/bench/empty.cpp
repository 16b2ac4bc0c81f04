// empty.cpp: does nothing: the time to start it is the least a program of ours can take.
int main() { return 0; }
