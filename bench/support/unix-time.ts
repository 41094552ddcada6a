/** Unix milliseconds, with their fraction. */
export function unixMs(): number {
  return performance.timeOrigin + performance.now()
}

/** What bash printed for the moment at which it ran, in Unix milliseconds. */
export function epochRealtime(result: string): number {
  const found = /\b(\d{10})[.,](\d{6})\b/.exec(result)
  if (found === null) throw new Error(`the command did not tell the time: ${result}`)
  return Number(found[1]) * 1_000 + Number(found[2]) / 1_000
}
