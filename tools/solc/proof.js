// Reads a proof in the form of z3, as solc reads it: one list of commands, among them `(proof TREE)`; `let` is expanded;
// the tree hangs at the first argument of the last step, which derives false; the fact of a node is its last argument;
// the premises of `(_ hyper-res …)` stand between the clause and the fact.
'use strict'

// The S-expressions of a text; symbols lose their bars, as they do in solc.
function parse (text) {
  const stack = [[]]
  const tokens = /[ \t\r\n]+|;[^\n]*|\(|\)|\|([^|]*)\||[^ \t\r\n()|;]+/g
  for (const token of text.matchAll(tokens)) {
    const word = token[0]
    if (word === '(') stack.push([])
    else if (word === ')') {
      const list = stack.pop()
      if (stack.length === 0) throw new Error('a parenthesis too many')
      stack[stack.length - 1].push(list)
    } else if (token[1] !== undefined) stack[stack.length - 1].push(token[1])
    else if (!/^[ \t\r\n;]/.test(word)) stack[stack.length - 1].push(word)
  }
  if (stack.length !== 1) throw new Error('a parenthesis is missing')
  return stack[0]
}

// The term with its `let`s gone. What they bind is shared, not copied; no name is bound twice. Inside quantifiers
// nothing is expanded: nobody looks there.
function expand (term, bound) {
  while (Array.isArray(term) && term[0] === 'let') {
    for (const [name, value] of term[1]) bound.set(name, expand(value, bound))
    term = term[2]
  }
  if (!Array.isArray(term)) return bound.has(term) ? bound.get(term) : term
  if (term[0] === 'forall' || term[0] === 'exists') return term
  return term.map(part => expand(part, bound))
}

// Whether a term is a value: numbers, truth values, constructors, arrays by constant arrays and stores.
function isValue (term, constructors) {
  if (!Array.isArray(term)) return /^\d+$/.test(term) || ['true', 'false'].includes(term) || constructors.get(term) === 0
  const [head, ...rest] = term
  if (head === '-') return rest.length === 1 && /^\d+$/.test(rest[0])
  if (Array.isArray(head)) return head[0] === 'as' && head[1] === 'const' && rest.length === 1 && isValue(rest[0], constructors)
  const arity = head === 'store' ? 3 : constructors.get(head)
  return arity === rest.length && rest.every(part => isValue(part, constructors))
}

// The names of the facts from the first to the last call, if the answer is a proof that solc takes and that fits the
// query; throws otherwise.
function readProof (query, answer) {
  const predicates = new Map()
  const constructors = new Map()
  for (const command of parse(query)) {
    if (command[0] === 'declare-fun') predicates.set(command[1], command[2].length)
    if (command[0] === 'declare-datatypes') {
      for (const datatype of command[2]) for (const [name, ...fields] of datatype) constructors.set(name, fields.length)
    }
  }
  const start = answer.indexOf('\n')
  if (answer.slice(0, start).trim() !== 'unsat') throw new Error(`a proof was asked for, and the answer is ${answer.slice(0, 200)}`)
  const output = parse(answer.slice(start))
  if (output.length !== 1) throw new Error(`there are ${output.length} expressions, not one`)
  let proof
  for (const command of output[0]) {
    if (command[0] === 'declare-fun') predicates.set(command[1], command[2].length)
    if (command[0] === 'proof') proof = command
  }
  if (!proof || proof.length !== 2) throw new Error('there is no proof')
  const last = expand(proof[1], new Map())
  if (!Array.isArray(last) || last[last.length - 1] !== 'false') throw new Error('the proof does not end with false')
  const isStep = node => Array.isArray(node) && Array.isArray(node[0]) && node[0][1] === 'hyper-res'
  const names = []
  const seen = new Set()
  // The calls that led to the target stand further from the root the earlier they were: breadth first.
  const left = [last[1]]
  for (let next = 0; next < left.length; next += 1) {
    const node = left[next]
    if (seen.has(node)) continue
    seen.add(node)
    if (!isStep(node)) throw new Error(`no hyper-resolution: ${JSON.stringify(node).slice(0, 200)}`)
    const premises = node.slice(2, -1)
    if (node[0].length !== 4 + 2 * premises.length) throw new Error('the numbers of a step do not fit its premises')
    const fact = [node[node.length - 1]].flat(1)
    const [name, ...values] = Array.isArray(node[node.length - 1]) ? node[node.length - 1] : fact
    if (predicates.get(name) !== values.length) throw new Error(`${name} is no predicate of ${values.length} arguments`)
    for (const value of values) {
      if (!isValue(value, constructors)) throw new Error(`no value: ${JSON.stringify(value).slice(0, 200)}`)
    }
    names.push(name)
    left.push(...premises)
  }
  if (!names.some(name => /^error_target/.test(name))) throw new Error('no target is in the proof')
  const calls = names.filter(name => /^summary_(constructor_)?\d+_/.test(name)).reverse()
  if (calls.length === 0) throw new Error('no call is in the proof')
  return calls
}

module.exports = { readProof }
