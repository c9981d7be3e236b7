/**
 * Takes Node's own modules from `process.getBuiltinModule` instead of importing them. An `import` evaluates every getter
 * of a module, and one of `node:http` loads a second HTTP client: 17 MB for what 4 MB do. Modules that are large, and
 * that only functions or classes are taken from, are loaded at the first call.
 */
import type { Plugin } from 'rolldown';

/** These cost more than a megabyte each, or warn when they are loaded. */
const large = new Set([
  'node:assert/strict',
  'node:child_process',
  'node:crypto',
  'node:http',
  'node:https',
  'node:net',
  'node:readline',
  'node:readline/promises',
  'node:sqlite',
  'node:tls',
  'node:worker_threads',
  'node:zlib',
]);

export function loadBuiltinsLate(): Plugin {
  return {
    name: 'load-builtins-late',
    renderChunk(code) {
      const imports = /^import (?:(\w+)|\{([^}]*)\}) from "(node:[\w/]+)";$/gm;
      const changed = code
        .replace(imports, (_, whole: string | undefined, parts: string | undefined, id: string) =>
          whole === undefined ? partsOf(id, parts ?? '') : `const ${whole} = process.getBuiltinModule("${id}");`,
        )
        .replace(/\bimport\("(node:[\w/]+)"\)/g, 'Promise.resolve(process.getBuiltinModule("$1"))');
      const left = /^import [^;]*"node:[^;]*;/m.exec(changed);
      if (left !== null) throw new Error(`An import of Node's that is not understood: ${left[0]}`);
      return changed;
    },
  };
}

function partsOf(id: string, parts: string): string {
  const names = parts
    .split(',')
    .map((part) => part.trim().split(' as '))
    .filter(([name]) => name !== '')
    .map(([name = '', local = name]) => ({ name, local }));
  if (!large.has(id)) {
    const taken = names.map(({ name, local }) => (name === local ? name : `${name}: ${local}`)).join(', ');
    return `const { ${taken} } = process.getBuiltinModule("${id}");`;
  }
  return names.map(({ name, local }) => late(id, name, local)).join('\n');
}

/** A function or class that looks like the one it stands for, whose module is loaded when it is first used. */
function late(id: string, name: string, local: string): string {
  const real: unknown = Reflect.get(process.getBuiltinModule(id) ?? {}, name);
  if (typeof real !== 'function') throw new Error(`${name} of ${id} is no function: it cannot be loaded late.`);
  const module = `process.getBuiltinModule("${id}")`;
  const isClass = /^[A-Z]/.test(name);
  if (!isClass) return `const ${local} = (...args) => ${module}.${name}(...args);`;
  return `const ${local} = new Proxy(function () {}, {
  construct: (_, args) => Reflect.construct(${module}.${name}, args),
  get: (_, key) => Reflect.get(${module}.${name}, key),
});`;
}
