import type { TestCommand, TestExpression, Word } from 'unbash'
import { isCount } from './variables/number-variables.ts'
import { wordValue } from './words/known-word.ts'
import type { TokenCursor } from './words/token-cursor.ts'

/** Tests of files and texts; `-v`, `-R` and `-o` test variables with subscripts that are evaluated. */
const unary = /^-[bcdefghkLNOprsSuwxzn]$/
const ofFiles = /^-(?:nt|ot|ef)$/
const ofTexts = /^(?:==?|!=)$/
const ofNumbers = /^-(?:eq|ne|lt|le|gt|ge)$/
/** Evaluated as arithmetic; only plain numbers are harmless. */
const number = /^(?:\d{1,18}|\$[#?])$/

/** Receives the parts of `[[ … ]]`. */
export interface TestVisitor {
  readonly cursor: TokenCursor
  agree(agrees: boolean): void
  /** A word that is only shown to the test. */
  word(word: Word): void
  hazard(reason: string): void
}

/** SHELL-03: checks that `[[ … ]]` only tests files and compares texts; walks its words and the tokens in parallel. */
export function walkTest({ expression, pos, end }: TestCommand, visitor: TestVisitor): void {
  visitor.agree(visitor.cursor.takes('word', '[[', pos))
  walkExpression(expression, visitor)
  visitor.agree(visitor.cursor.takes('word', ']]', end - 2))
}

function walkExpression(node: TestExpression, visitor: TestVisitor): void {
  const { cursor } = visitor
  if (node.type === 'TestUnary') {
    if (!unary.test(node.operator)) visitor.hazard(`it tests by ${node.operator}`)
    visitor.agree(cursor.takes('word', node.operator))
    visitor.word(node.operand)
  } else if (node.type === 'TestBinary') {
    const { operator, left, right } = node
    const areNumbers = isNumber(left) && isNumber(right)
    const isKnown = ofTexts.test(operator) || ofFiles.test(operator)
    if (!isKnown && !(ofNumbers.test(operator) && areNumbers))
      visitor.hazard(`it tests by ${operator}`)
    visitor.word(left)
    visitor.agree(cursor.takes('word', operator))
    visitor.word(right)
  } else if (node.type === 'TestLogical') {
    for (const [index, operand] of node.operands.entries()) {
      if (index > 0) visitor.agree(cursor.takes('operator', node.operator))
      walkExpression(operand, visitor)
    }
  } else if (node.type === 'TestNot') {
    for (const _ of node.negations) visitor.agree(cursor.takes('word', '!'))
    walkExpression(node.operand, visitor)
  } else {
    visitor.agree(cursor.takes('operator', '('))
    walkExpression(node.expression, visitor)
    visitor.agree(cursor.takes('operator', ')'))
  }
}

/** A number, or a substitution that gives one. */
function isNumber({ text }: Word): boolean {
  return number.test(text) || isCount(/^"(.*)"$/s.exec(text)?.[1] ?? text)
}

/** The words of a test, in the form that rules match. */
export function testWords({ expression }: TestCommand): readonly string[] {
  return ['[[', ...wordsIn(expression), ']]']
}

function wordsIn(node: TestExpression): readonly string[] {
  if (node.type === 'TestUnary') return [node.operator, wordValue(node.operand)]
  if (node.type === 'TestBinary')
    return [wordValue(node.left), node.operator, wordValue(node.right)]
  if (node.type === 'TestNot') return ['!', ...wordsIn(node.operand)]
  if (node.type === 'TestGroup') return ['(', ...wordsIn(node.expression), ')']
  return node.operands.flatMap((operand, at) => [
    ...(at === 0 ? [] : [node.operator]),
    ...wordsIn(operand),
  ])
}
