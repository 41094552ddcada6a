/**
 * OUT-01: what a program printed, as plain text. Escape sequences are removed, carriage-return progress is
 * collapsed to its last state, backspaces are carried out, other control characters dropped, NUL and lone
 * surrogates become U+FFFD, runs of blank lines become one. Linear in time; the result is never longer.
 */
export function sanitise(text: string): string {
  const storable = text.toWellFormed()
  if (!needsWork.test(storable)) return storable
  const plain = storable.replaceAll('\0', '\uFFFD').replace(escapeSequence, '')
  return collapseBlankLines(redrawLines(plain).replace(control, ''))
}

// Tab and line feed are the only control characters that stay.
const controls = String.raw`\u0001-\u0008\u000b-\u001f\u007f-\u009f`
const control = new RegExp(`[${controls}]+`, 'g')
const needsWork = new RegExp(String.raw`[\0${controls}]|\n\n\n|^\n\n`)

/**
 * ECMA-48: CSI with its parameters, then the strings (OSC also ended by BEL), then two-character escapes.
 * A string that does not end before the next escape loses its introducer only: its text was printed.
 */
const escapeSequence = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)`,
    String.raw`\u001b[PX^_][^\u001b\n]*\u001b\\`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join('|'),
  'g',
)

/** Looks at the lines alone that draw over themselves: most of a long text does not. */
function redrawLines(text: string): string {
  const redraw = /[\r\b]/g
  const parts: string[] = []
  let done = 0
  for (let found = redraw.exec(text); found !== null; found = redraw.exec(text)) {
    const start = text.lastIndexOf('\n', found.index) + 1
    const next = text.indexOf('\n', found.index)
    const end = next === -1 ? text.length : next
    parts.push(text.slice(done, start), redrawLine(text.slice(start, end)))
    done = end
    redraw.lastIndex = end
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(done)
}

function redrawLine(line: string): string {
  const last = line.includes('\r') ? afterLastReturn(line) : line
  return last.includes('\b') ? applyBackspaces(last) : last
}

function afterLastReturn(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end -= 1
  return line.slice(end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1, end)
}

function applyBackspaces(line: string): string {
  const shown: string[] = []
  for (const character of line) {
    if (character === '\b') shown.pop()
    else shown.push(character)
  }
  return shown.join('')
}

function collapseBlankLines(text: string): string {
  return text.replace(/\n{3,}/g, '\n\n').replace(/^\n+/, '\n')
}
