import { showControls } from '../rules/output/show-controls.ts'

/** Makes untrusted text safe for one line of a terminal or file: control characters and line ends become visible symbols. */
export function plainText(text: string): string {
  return showControls(text).replace(/[\t\n\u2028\u2029]/g, (sign) => pictures[sign] ?? '\uFFFD')
}

const pictures: Readonly<Record<string, string>> = { '\t': '\u2409', '\n': '\u240a' }
