/** Text that Postgres and the queue can store: NUL and lone surrogates become U+FFFD. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
