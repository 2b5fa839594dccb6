module curfew

go 1.26.0
