# Programs that register as peripherals: what they are called with, and what is answered.
exec "$CLIENT_PYTHON" "$(dirname "$0")/registrations.py"
