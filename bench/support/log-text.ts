/** About `bytes` of what a service or a build prints: numbered, dated, some of it coloured, some of it progress. */
export function logText(bytes: number): string {
  const lines: string[] = []
  let size = 0
  for (let at = 0; size < bytes; at += 1) {
    const line = toLine(at)
    lines.push(line)
    size += line.length + 1
  }
  return lines.join('\n')
}

function toLine(at: number): string {
  const second = String(at % 60).padStart(2, '0')
  const date = `2026-01-02T03:${String(Math.floor(at / 60) % 60).padStart(2, '0')}:${second}.${String(at % 1000).padStart(3, '0')}Z`
  switch (at % 8) {
    case 0:
      return `test orders::tests::case_${at}_handles_errors ... ok`
    case 1:
      return `\u001b[32m${date}\u001b[0m INFO request ${at} GET /orders/${at * 7} 200 in ${at % 90} ms`
    case 2:
      return `gcc -O2 -Wall -Werror -Iinclude -c -o build/part_${at}.o src/part_${at}.c`
    case 3:
      return `${date} WARN cache miss for key order:${at} after ${at % 13} tries`
    case 4:
      return `   Compiling crate-${at % 400} v1.${at % 40}.0`
    case 5:
      return `Downloading ${at % 100}%\rDownloading ${(at % 100) + 1}%\rDownloading done ${at}`
    case 6:
      return `${date} INFO health check ok`
    default:
      return `src/part_${at}.c:${at % 900}:12: note: expanded from macro CHECK_ORDER_${at % 50}`
  }
}
