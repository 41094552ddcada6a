/** Text as Postgres and the queue can keep it: NUL and lone surrogates become U+FFFD. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
