model M
end M;
within P;
model N
end N;
