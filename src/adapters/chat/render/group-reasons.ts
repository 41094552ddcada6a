/** Maximum number of equal reasons that are listed individually. */
const maxUngrouped = 3
const reasonForm = /^(\w+) "((?:[^"\\]|\\.)+)": (.+)$/s

/**
 * Shortens the reasons of a card: many that differ only in the part of the call they concern become one, as in `a rule of the
 * worker says ask: touch x; sleep 2`. Nothing is omitted, and the order is kept.
 */
export function groupReasons(reasons: readonly string[], tool: string): string[] {
  const parsed = reasons.map((reason) => ({ reason, ...partsOf(reason, tool) }))
  const groups = Map.groupBy(parsed, ({ why }) => why)
  const grouped = new Set<string>()
  return parsed.flatMap(({ reason, why }) => {
    const members = why === undefined ? [] : (groups.get(why) ?? [])
    if (why === undefined || members.length <= maxUngrouped) return [reason]
    if (grouped.has(why)) return []
    grouped.add(why)
    return [`${why}: ${members.map(({ about }) => about).join('; ')}`]
  })
}

/** Splits a reason into statement and subject; one whose subject contains a separator stays as it is. */
function partsOf(reason: string, tool: string): { readonly why?: string; readonly about?: string } {
  const [, named, about, why] = reasonForm.exec(reason) ?? []
  if (named !== tool || about === undefined || why === undefined) return {}
  return about.includes(';') ? {} : { why, about }
}
