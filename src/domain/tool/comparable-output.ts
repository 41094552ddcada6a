/** Parts of an output that change between equal runs: ids, times, durations. Bounded patterns keep each match linear. */
const volatile: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b(?:[a-z0-9]{1,20}[-_ ])?p?id["']?\s?[:=]\s?["']?[\w.:-]{1,128}/gi, '<id>'],
  [/\bpid \d{1,10}\b|\[\d{1,10}\](?=:)/gi, '<id>'],
  [/\b0x[0-9a-f]{1,32}\b/gi, '<id>'],
  [/\b(?:call|job|msg|req|run|span|trace)_[a-z0-9]{6,64}\b|\btmp\.[a-z0-9]{6,16}\b/gi, '<id>'],
  [/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, '<id>'],
  [/\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,64}\b/gi, '<id>'],
  [
    /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?/g,
    '<time>',
  ],
  [
    /\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? {1,2})?(?:\d{1,2} )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}(?: {1,2}\d{1,4})\b/gi,
    '<time>',
  ],
  [/\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:[ap]m|UTC|GMT))?(?: \d{4})?\b/gi, '<time>'],
  [/\b\d{8}T\d{4}(?:\d\d)?Z?\b/g, '<time>'],
  [/\b1\d{9}(?:\d{3}){0,3}(?:\.\d{1,9})?\b/g, '<time>'],
  [/\b(?:\d{1,6}(?:\.\d{1,9})?(?:d|h|ms|m|s)){2,5}\b/g, '<duration>'],
  [
    /\b\d{1,12}(?:[.,]\d{1,9})? ?(?:ns|[µμ]s|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?![\p{L}\p{N}_])/gu,
    '<duration>',
  ],
]

/**
 * LOOP-11: normalises a tool's output for comparison. Ids, timestamps and durations are replaced by placeholders; the
 * one-time hint of an error block (ERR-04) is dropped.
 */
export function comparableOutput(output: string): string {
  return volatile.reduce((text, [form, mark]) => text.replace(form, mark), withoutHint(output))
}

function withoutHint(output: string): string {
  if (!output.startsWith('[tool_error]\n')) return output
  return output.replace(/^(?:schema|nearest): .*$/m, '').trimEnd()
}
