import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** A parameter of a message: its name and how values for it are made. */
export interface Parameter {
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean' | 'strings' | readonly string[]
  readonly isOptional: boolean
}

const folder = new URL('../../../src/domain/messages/en/', import.meta.url)

/** The parameters of each English message that takes some, by its path such as `approvals.name`, read from the source. */
export function readParameters(): ReadonlyMap<string, readonly Parameter[]> {
  const found = new Map<string, readonly Parameter[]>()
  for (const file of readdirSync(folder)) {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    const area = file.replace('.ts', '')
    ts.forEachChild(source, (node) => {
      if (!ts.isVariableStatement(node)) return
      for (const { name, initializer } of node.declarationList.declarations) {
        if (name.getText() === area && initializer !== undefined) read(found, area, initializer)
      }
    })
  }
  return found
}

function read(found: Map<string, readonly Parameter[]>, path: string, node: ts.Node): void {
  if (ts.isObjectLiteralExpression(node)) {
    for (const property of node.properties) {
      if (!ts.isPropertyAssignment(property)) continue
      const key = property.name.getText().replaceAll("'", '')
      read(found, `${path}.${key}`, property.initializer)
    }
  }
  if (!ts.isArrowFunction(node)) return
  const [parameter] = node.parameters
  if (parameter?.type === undefined || !ts.isTypeLiteralNode(parameter.type)) {
    throw new Error(`${path} takes one object whose type stands beside it`)
  }
  const parameters = parameter.type.members.flatMap((member): Parameter[] => {
    if (!ts.isPropertySignature(member) || member.type === undefined) return []
    const isOptional =
      member.questionToken !== undefined || member.type.getText().includes('undefined')
    return [{ name: member.name.getText(), type: typeOf(member.type), isOptional }]
  })
  found.set(path, parameters)
}

function typeOf(type: ts.TypeNode): Parameter['type'] {
  const text = type.getText().replace(' | undefined', '')
  if (text === 'string' || text === 'number' || text === 'boolean') return text
  if (text === 'readonly string[]') return 'strings'
  const options = [...text.matchAll(/'([^']+)'/g)].map(([, option = '']) => option)
  if (options.length === 0) throw new Error(`no values are known for ${text}`)
  return options
}
