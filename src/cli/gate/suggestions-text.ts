import { oneLineJson, plainText } from '../print.ts'
import type { Suggestions, TriedProposal } from './suggest-rules.ts'

/** APPR-21: formats proposals as the text of a `permissions.jsonc`. */
export function suggestionsText(suggestions: Suggestions): string {
  const { worker, since, proposals, questions, spared, contradicted } = suggestions
  const tools = Map.groupBy(proposals, ({ tool }) => tool)
  const about = [
    `Proposed for the worker ${worker}, from what people approved since ${since.slice(0, 16)}Z.`,
    `Of ${questions} questions these rules would have spared ${spared}. They would let run nothing that a person or a rule ever refused.`,
    ...(contradicted === 0 ? [] : [`${contradicted} more were left out: something was refused.`]),
    proposals.length === 0
      ? 'There is nothing to propose.'
      : 'Copy what you agree with, each rule with the "// granted" line above it.',
  ]
  const body = [...tools].map(([tool, own]) => toolText(tool, own))
  const lines = [...about.map((line) => `// ${plainText(line)}`), '{', body.join(',\n'), '}']
  return `${lines.filter(Boolean).join('\n')}\n`
}

function toolText(tool: string, proposals: readonly TriedProposal[]): string {
  const rules = proposals.map(ruleText).join(',\n')
  return `  ${oneLineJson(tool)}: {\n${rules}\n  }`
}

function ruleText({ pattern, approvals, people, examples, spares }: TriedProposal): string {
  const who = Object.entries(people).map(([person, times]) => `${person} (${times})`)
  const such = examples.filter((example) => example !== pattern)
  const comments = [
    `approved ${approvals} times by ${who.join(', ')}, never refused; would have spared ${spares} questions`,
    ...such.map((example) => `such as: ${example}`),
    'granted by gate suggest',
  ]
  const lines = comments.map((comment) => `    // ${plainText(comment)}`)
  return [...lines, `    ${oneLineJson(pattern)}: "allow"`].join('\n')
}
