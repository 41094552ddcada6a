/** The line that stands where lines were left out of the middle. */
export function leftOut(count: number, what = 'line'): string {
  return `[… ${count} ${what}${count === 1 ? '' : 's'} left out …]`
}
