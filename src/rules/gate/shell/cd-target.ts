/** Whether a command changes the shell's directory. */
export function isMove([program = '']: readonly string[]): boolean {
  return program === 'cd' || program === 'pushd' || program === 'popd'
}

/** The target of `cd` or `pushd`, HOME if there is none; undefined if the text does not show it. */
export function cdTarget([program = '', ...rest]: readonly string[]): string | undefined {
  const targets = rest.filter((word) => !/^-[-L]$/.test(word))
  const [target = '~'] = targets
  const isStack = program === 'popd' || (program === 'pushd' && rest.length === 0)
  return isStack || targets.length > 1 || /^[-+]/.test(target) ? undefined : target
}

/** Whether it returns to an earlier directory, which may be outside: `cd -`, `popd`, `pushd +1`. */
export function returnsToPrevious(words: readonly string[]): boolean {
  if (!isMove(words)) return false
  const [program = '', ...rest] = words
  if (program === 'popd' || rest.some((word) => /^(?:-|[-+]\d+)$/.test(word))) return true
  return program === 'pushd' && rest.every((word) => word.startsWith('-'))
}

/** Whether a command may move or link directories, so that `..` of the shell's directory leads elsewhere afterwards. */
export function movesDirectories([program = '', ...rest]: readonly string[]): boolean {
  return /(?:^|\/)(?:mv|ln|rename|mount)$/.test(program) || rest.includes('mv')
}
