//! Validation of witnesses on the system as read. It sees neither passes nor engines.
