/** The chat of a place `<chat>` or `<chat>/<topic>`. */
export function chatOf(place: string): string {
  return place.split('/', 1)[0] ?? place
}

/** The platform of a caller's id, or of a conversation as the configuration names it: `telegram` of `telegram:42`. */
export function platformOf(name: string): string {
  return name.split(':', 1)[0] ?? name
}
