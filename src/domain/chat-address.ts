/** Returns the chat of an address `<chat>` or `<chat>/<topic>`. */
export function chatOf(place: string): string {
  return place.split('/', 1)[0] ?? place
}

/** Returns the platform of a caller id or a configured conversation: `telegram` for `telegram:42`. */
export function platformOf(name: string): string {
  return name.split(':', 1)[0] ?? name
}
