import type { Strategy } from './strategy.ts'

const sections: ReadonlyMap<string, string> = new Map([
  ['Changes to be committed:', 'Staged:'],
  ['Changes not staged for commit:', 'Unstaged:'],
  ['Untracked files:', 'Untracked:'],
  ['Unmerged paths:', 'Unmerged:'],
  ['Ignored files:', 'Ignored:'],
])

/** Git's hints for beginners. */
const hint = /^ {2}\(.*\)$|^no changes added to commit|^nothing added to commit but/

/**
 * Shortens git's long status: shorter headings, no hints, no blank lines. The branch and all staged, unstaged, unmerged and
 * untracked files stay, and so does every line that is not git's; deletions stay unchanged. The short format is left as it is.
 */
export const gitStatus: Strategy = ({ lines, kept, failed }) => {
  if (failed || !lines.some(isStatus)) return { lines, confidence: 'fallback' }
  const rest = lines.flatMap((line, at) => {
    if (line === '' || hint.test(line)) return []
    if (kept[at] !== 0 && !line.startsWith('\t')) return [line]
    return [
      sections.get(line) ??
        line.replace(/^\t/, '  ').replace(/^( {2}(?!deleted)[a-z ]+:) +/, '$1 '),
    ]
  })
  return { lines: rest, confidence: 'full' }
}

function isStatus(line: string): boolean {
  return /^(?:On branch |HEAD detached |Not currently on any branch|nothing to commit)/.test(line)
}
