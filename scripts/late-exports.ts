/**
 * Makes a package's front door thin: a function that it exports loads its chunk when it is first called, and not when
 * the package is imported. `require` does that without waiting; it takes ES modules, and gives the same instance that an
 * `import` gives. What is no function is exported as ever.
 */
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';

type Door = {
  /** The source of the front door. It only re-exports. */
  file: string;
  /** Other packages whose functions are loaded late as well. */
  latePackages?: readonly string[];
};

/** What the door re-exports from its own package, each by the name that its bundle gets. */
export function entriesBehind(source: string, code: string): { [name: string]: string } {
  const found = [...code.matchAll(/ from '\.\/([^']+)\.ts';/g)].map(([, name = '']) => name);
  return Object.fromEntries(found.map((name) => [name, join(source, 'src', `${name}.ts`)]));
}

export function loadExportsLate({ file, latePackages = [] }: Door): Plugin {
  return {
    name: 'load-exports-late',
    async transform(code, id) {
      if (id !== file) return null;
      const statements = [...code.matchAll(/^export \{([^}]*)\} from '([^']+)';$/gm)];
      const lines = ["import { createRequire } from 'node:module';", 'const load = createRequire(import.meta.url);'];
      let rest = code;
      for (const [statement, parts = '', from = ''] of statements) {
        const isOwn = from.startsWith('./');
        if (!isOwn && !latePackages.includes(from)) continue;
        const module: object = await import(isOwn ? join(dirname(file), from) : from);
        const names = parts.split(',').map((part) => part.trim());
        const values = names.filter((name) => name !== '' && !name.startsWith('type '));
        const late = values.filter((name) => isPlainFunction(Reflect.get(module, name)));
        const target = isOwn ? from.replace(/\.ts$/, '.js') : from;
        for (const name of late) {
          lines.push(`export function ${name}(...args) { return load('${target}').${name}(...args); }`);
        }
        const kept = values.filter((name) => !late.includes(name));
        rest = rest.replace(statement, kept.length === 0 ? '' : `export { ${kept.join(', ')} } from '${from}';`);
      }
      return `${lines.join('\n')}\n${rest}`;
    },
    // An import that is under way and a `require` of the same chunk exclude each other.
    renderChunk: (code) =>
      /\bimport\("\.{1,2}\//.test(code)
        ? `import { createRequire as createLoad } from "node:module";\nconst loadNow = createLoad(import.meta.url);\n${code.replace(/\bimport\(("\.{1,2}\/[^"]+")\)/g, 'Promise.resolve().then(() => loadNow($1))')}`
        : null,
  };
}

function isPlainFunction(value: unknown): boolean {
  return typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value));
}
