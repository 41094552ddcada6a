/** For programs that write their second operand: the options with a value in the next word. */
const valued: Readonly<Record<string, RegExp>> = {
  xxd: /^-[lcgso]$/,
  uniq: /^-[fsw]$|^--(?:skip-fields|skip-chars|check-chars)$/,
}

/** Whether `xxd` or `uniq` has an output file, or may have: after the first operand every word may be it. */
export function writesSecond(program: string, rest: readonly string[]): boolean {
  const takesValue = Object.hasOwn(valued, program) ? valued[program] : undefined
  if (takesValue === undefined) return false
  let at = 0
  while (at < rest.length && /^-./.test(rest[at] ?? ''))
    at += takesValue.test(rest[at] ?? '') ? 2 : 1
  return rest.length - at > 1
}
