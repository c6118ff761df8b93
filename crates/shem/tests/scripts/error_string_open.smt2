(echo "never closed
