// The verification targets of a contract: what its comments expect, and what solc reports.
'use strict'

// What solc calls a violation, and what our comments call it.
const KINDS = [
  ['Assertion violation', 'assertion'],
  ['Overflow', 'overflow'],
  ['Underflow', 'underflow'],
  ['Division by zero', 'division'],
  ['Empty array "pop"', 'pop'],
  ['Out of bounds access', 'bounds']
]

// The expectations of a source, by `line kind`. A comment `// safe: overflow, bounds; unsafe: assertion` stands on the
// line of its targets. A question mark after a kind says that no answer is needed: a wrong one is still an error.
function expectations (source) {
  const found = new Map()
  source.split('\n').forEach((line, i) => {
    const comment = /\/\/ ((?:un)?safe: .*)$/.exec(line)
    if (!comment) return
    for (const part of comment[1].split(';')) {
      const [verdict, kinds] = part.trim().split(': ')
      if (!kinds || !['safe', 'unsafe'].includes(verdict)) throw new Error(`line ${i + 1}: ${part} is no expectation`)
      for (const word of kinds.split(', ')) {
        const kind = word.replace('?', '')
        if (!KINDS.some(([, name]) => name === kind)) throw new Error(`line ${i + 1}: there is no kind ${kind}`)
        found.set(`${i + 1} ${kind}`, { verdict, needed: kind === word })
      }
    }
  })
  return found
}

// What solc says about each target, by `line kind`: safe, unsafe or unknown. If a target of this kind and line is in
// several contracts, the worst counts. Other messages are given back, too.
function report (errors, source) {
  const verdicts = new Map()
  const others = []
  const order = ['safe', 'unknown', 'unsafe']
  for (const error of errors || []) {
    const kind = KINDS.find(([words]) => error.message.startsWith(`CHC: ${words}`))
    const place = error.sourceLocation
    if (!kind || !place) {
      others.push(error.message)
      continue
    }
    const line = Buffer.from(source).subarray(0, place.start).toString().split('\n').length
    const verdict = /check is safe!/.test(error.message) ? 'safe' : /might happen here/.test(error.message) ? 'unknown' : 'unsafe'
    const key = `${line} ${kind[1]}`
    const before = verdicts.get(key) || 'safe'
    verdicts.set(key, order[Math.max(order.indexOf(before), order.indexOf(verdict))])
  }
  return { verdicts, others }
}

module.exports = { expectations, report }
