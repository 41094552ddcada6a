/** The chat of a place `<chat>` or `<chat>/<topic>`. */
export function chatOf(place: string): string {
  return place.split('/', 1)[0] ?? place
}
