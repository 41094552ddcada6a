/** Maximum number of layers, as in `%2561`; no server is known to decode more. */
const maxLayers = 4

/** Decodes percent-encoding, layer by layer. Bytes that are not UTF-8, and a `%` that encodes nothing, stay. */
export function decodePercent(text: string): string {
  let decoded = text
  for (let round = 0; round < maxLayers; round += 1) {
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
