"""The driver for nodes behind an MQTT broker: commands down, events up, through the layout's wiring."""

from pointsman.drivers.mqtt.driver import MqttDriver

__all__ = ["MqttDriver"]
