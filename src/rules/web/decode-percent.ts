/** Of sequences such as `%2561` each round takes one layer away; servers that take more than these are not known. */
const mostRounds = 4

/** What `%XX` stand for, layer by layer; bytes that are no UTF-8, and a `%` that encodes nothing, stay as they are. */
export function decodePercent(text: string): string {
  let decoded = text
  for (let round = 0; round < mostRounds; round += 1) {
    const next = decodeOnce(decoded)
    if (next === decoded) return decoded
    decoded = next
  }
  return decoded
}

function decodeOnce(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run)
    } catch {
      return run.replaceAll(/%[0-7][0-9a-f]/gi, (one) =>
        String.fromCharCode(Number.parseInt(one.slice(1), 16)),
      )
    }
  })
}
