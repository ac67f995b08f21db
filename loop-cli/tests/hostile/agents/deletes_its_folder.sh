# Deletes the folder in which it and the loop run.
rm -rf "${1:?the folder of the run}/work"
