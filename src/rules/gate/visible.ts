const maxRun = 8

/**
 * APPR-16: text as it may be shown to a person who approves it. Control, zero-width and bidirectional characters stand
 * as `⟨U+200B⟩`, long runs of white space as a count (`⟨⏎×200⟩`); nothing is dropped, and two different texts never look
 * the same, since the marks' own characters are marked too.
 */
export function makeVisible(text: string): string {
  return marked(text).replaceAll(/[ \t\n]{9,}/g, visibleRun)
}

/** Whether text holds what a person cannot see, or blanks that are not plain ones. */
export function hasInvisible(text: string): boolean {
  return invisible.test(text)
}

const invisible = /(?![\t\n])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u
const marks = /[⟨⏎␠⇥]/u

function marked(text: string): string {
  let result = ''
  for (const character of text) {
    const special = invisible.test(character) || marks.test(character)
    result += special ? `⟨U+${hex(character)}⟩` : character
  }
  return result
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

/** Many line breaks are counted with the blanks between them; else only runs of one kind. */
function visibleRun(run: string): string {
  const pushesAway = run.split('\n').length - 1 > maxRun
  return run.replaceAll(/ +|\t+|\n+/g, (same) =>
    pushesAway || same.length > maxRun ? `⟨${sign(same)}×${same.length}⟩` : same,
  )
}

function sign(same: string): string {
  if (same.startsWith('\n')) return '⏎'
  return same.startsWith('\t') ? '⇥' : '␠'
}
