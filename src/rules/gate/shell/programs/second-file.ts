/** Options of programs that write their second operand: those that take the next word as their value. */
const valued: Readonly<Record<string, RegExp>> = {
  xxd: /^-[lcgso]$/,
  uniq: /^-[fsw]$|^--(?:skip-fields|skip-chars|check-chars)$/,
}

/** Whether `xxd` or `uniq` is given the name of a file to write, or may be: behind the first operand every word may be it. */
export function writesSecond(program: string, rest: readonly string[]): boolean {
  const takesValue = Object.hasOwn(valued, program) ? valued[program] : undefined
  if (takesValue === undefined) return false
  let at = 0
  while (at < rest.length && /^-./.test(rest[at] ?? ''))
    at += takesValue.test(rest[at] ?? '') ? 2 : 1
  return rest.length - at > 1
}
