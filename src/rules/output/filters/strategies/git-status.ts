import type { Strategy } from './strategy.ts'

const sections: ReadonlyMap<string, string> = new Map([
  ['Changes to be committed:', 'Staged:'],
  ['Changes not staged for commit:', 'Unstaged:'],
  ['Untracked files:', 'Untracked:'],
  ['Unmerged paths:', 'Unmerged:'],
  ['Ignored files:', 'Ignored:'],
])

/** What git tells beginners: how to undo, how to add. */
const hint = /^ {2}\(.*\)$|^no changes added to commit|^nothing added to commit but/

/**
 * Git's long status with short headings, and without hints and blank lines. Branch, staged, unstaged, unmerged and untracked
 * files all stay, as does every line that is none of git's own. The short form has nothing to spare.
 */
export const gitStatus: Strategy = ({ lines, kept, failed }) => {
  if (failed || !lines.some(isStatus)) return { lines, confidence: 'fallback' }
  const rest = lines.flatMap((line, at) => {
    if (kept[at] !== 0) return [line]
    if (line === '' || hint.test(line)) return []
    return [sections.get(line) ?? line.replace(/^\t/, '  ').replace(/^( {2}[a-z ]+:) +/, '$1 ')]
  })
  return { lines: rest, confidence: 'full' }
}

function isStatus(line: string): boolean {
  return /^(?:On branch |HEAD detached |Not currently on any branch|nothing to commit)/.test(line)
}
