// Compiles contracts by solc-js with a solver behind its model checker, and compares what it reports with the comments
// in the contracts. See scripts/check solc.
'use strict'

const fs = require('fs')
const path = require('path')
const { spawnSync } = require('child_process')
const { expectations, report } = require('./targets')
const { readProof } = require('./proof')

const TARGETS = ['assert', 'overflow', 'underflow', 'divByZero', 'popEmptyArray', 'outOfBounds']
const USAGE = 'usage: check.js --solc FOLDER [--solver "COMMAND WORDS..."] [--own NAME] [--invariants] [--proofs] ' +
  '[--dump FOLDER] [--bare] CONTRACT...'

function parse (words) {
  const options = { files: [] }
  while (words.length > 0) {
    const word = words.shift()
    if (['--invariants', '--proofs', '--bare'].includes(word)) options[word.slice(2)] = true
    else if (['--solc', '--solver', '--own', '--dump'].includes(word)) options[word.slice(2)] = words.shift()
    else options.files.push(word)
  }
  if (!options.solc || (!options.solver && !options.own) || options.files.length === 0) {
    console.error(USAGE)
    process.exit(2)
  }
  return options
}

const options = parse(process.argv.slice(2))
const solc = require(path.resolve(options.solc))
// solc-js has a caller of its own, which looks for solvers by name.
const own = options.own && require(path.resolve(options.solc, 'smtsolver')).availableSolvers.find(s => s.command === options.own)
if (options.own && !own) throw new Error(`solc-js does not find ${options.own} on the path`)

const times = []
let proofs = 0
let file = ''
let queries = 0

function runSolver (query, extra = []) {
  const [command, ...words] = options.solver.split(' ')
  const since = process.hrtime.bigint()
  const run = spawnSync(command, [...words, ...extra], { input: query, encoding: 'utf8', maxBuffer: 1 << 30 })
  // A solver may answer without reading to the end.
  if (run.error && run.error.code !== 'EPIPE') throw run.error
  times.push(Number(process.hrtime.bigint() - since) / 1e9)
  return run.stdout
}

// Asks for a proof as solc does, and reads it as solc does.
function checkProof (query) {
  const output = runSolver(`(set-option :produce-proofs true)${query}\n(get-proof)`)
  const trace = readProof(query, output)
  proofs += 1
  return trace
}

function solve (query) {
  queries += 1
  if (options.dump) {
    fs.mkdirSync(options.dump, { recursive: true })
    fs.writeFileSync(path.join(options.dump, `${path.basename(file, '.sol')}-${queries}.smt2`), query)
  }
  if (own) {
    const since = process.hrtime.bigint()
    const output = require(path.resolve(options.solc, 'smtsolver')).smtSolver(query, own)
    times.push(Number(process.hrtime.bigint() - since) / 1e9)
    return { contents: output }
  }
  const output = runSolver(query)
  if (options.dump) fs.writeFileSync(path.join(options.dump, `${path.basename(file, '.sol')}-${queries}.out`), output)
  if (options.proofs && output.startsWith('unsat')) {
    const trace = checkProof(query)
    console.log(`  ${path.basename(file)}, query ${queries}: ${trace.join(' -> ')}`)
  }
  return { contents: output }
}

let failures = 0
let targets = 0
let missed = 0
let invariants = 0
const fail = words => { failures += 1; console.error(`error: ${words}`) }

for (file of options.files) {
  const name = path.basename(file)
  const source = fs.readFileSync(file, 'utf8')
  const expected = expectations(source)
  const modelChecker = { engine: 'chc', solvers: ['smtlib2'], targets: TARGETS, showProvedSafe: true, showUnproved: true }
  if (options.invariants) modelChecker.invariants = ['contract', 'reentrancy']
  const input = {
    language: 'Solidity',
    sources: { [name]: { content: source } },
    settings: { outputSelection: { '*': { '*': [] } }, modelChecker }
  }
  queries = 0
  let thrown = null
  const smtSolver = query => {
    try {
      return solve(query)
    } catch (error) {
      thrown = error
      return { error: String(error) }
    }
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { smtSolver }))
  if (thrown) fail(`${name}: ${thrown.stack}`)
  const { verdicts, others } = report(output.errors, source)
  for (const words of others) {
    if (/^(Contract invariant|Reentrancy propert)/.test(words)) invariants += 1
    else if (/^CHC|error/i.test(words)) fail(`${name}: solc says: ${words}`)
  }
  for (const [key, { verdict, needed }] of expected) {
    const found = verdicts.get(key)
    if (found === undefined) fail(`${name}: solc has no target ${key}`)
    else if (found === 'unknown') {
      missed += 1
      if (needed && !options.bare) fail(`${name}: ${key} is ${verdict}, and was not decided`)
      else console.log(`  ${name}: ${key} is ${verdict}, and was not decided`)
    } else if (found !== verdict) fail(`${name}: ${key} is ${verdict}, and was called ${found}`)
  }
  for (const [key, found] of verdicts) {
    if (!expected.has(key)) fail(`${name}: ${key} is ${found}, and no comment expects it`)
  }
  targets += expected.size
}
const seconds = times.reduce((a, b) => a + b, 0)
const longest = Math.max(...times)
console.log(`${targets} targets of ${options.files.length} contracts, ${missed} not decided; ${times.length} queries in ` +
  `${seconds.toFixed(1)} s, the longest ${longest.toFixed(1)} s` +
  (options.proofs ? `; ${proofs} proofs read` : '') + (options.invariants ? `; ${invariants} reports of invariants` : ''))
if (options.invariants && invariants === 0) fail('no invariant was reported')
if (options.proofs && proofs === 0) fail('no proof was read')
process.exit(failures > 0 ? 1 : 0)
