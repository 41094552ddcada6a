const levels = { info: 30, warn: 40, fatal: 60 } as const

/** Formats text as a JSON log line, without the line end. */
export function toJsonLine(words: string, level: keyof typeof levels = levelOf(words)): string {
  const time = new Date().toISOString()
  return JSON.stringify({ level: levels[level], time, pid: process.pid, msg: words })
}

function levelOf(words: string): 'info' | 'warn' {
  return /^warning: /i.test(words) ? 'warn' : 'info'
}
