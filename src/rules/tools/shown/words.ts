/** The words of a text as they are compared: `readFiles` and `read_file` have the same two. One pass, whatever the text. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.normalize('NFKC').replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ')
  return (spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(withoutPlural)
}

/** Good enough for both sides alike: `files` is `file`, `class` stays. */
function withoutPlural(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
