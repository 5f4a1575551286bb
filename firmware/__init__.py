"""What runs on the device: pure logic over the HAL verbs, no hardware and no clock of its own."""
