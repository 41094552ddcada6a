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
 * Git's long status with short headings, and without hints and blank lines; what was deleted stands as git says it. Branch, staged, unstaged, unmerged and untracked
 * files all stay, as does every line that is none of git's own. The short form has nothing to spare.
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
