import type { JsonObject } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesNamedIn, shippedBy, trustDigest } from '../src/trust.ts';

const digestOf = (settings: JsonObject, files: Record<string, string> = {}) => trustDigest(shippedBy(settings), files);

describe('P1: what a project ships needs trust by its content (scenario 47)', () => {
  it('is all that widens or runs something, and all that is not known', () => {
    const settings = {
      rules: { allow: ['bash'], deny: ['read(.env)'] },
      mode: 'auto',
      hooks: { before: [{ command: './x.sh' }] },
      servers: { github: { command: 'npx x' } },
      commands: { ship: {} },
      providers: { own: { baseUrl: 'http://x' } },
      variants: { high: { effort: 'high' }, odd: { body: { x: 1 } } },
      something: true,
      limits: { maxSteps: 3 },
      model: 'a/b',
    };
    expect(shippedBy(settings).map(({ place }) => place)).toEqual([
      'commands.ship',
      'hooks.before',
      'mode',
      'providers.own',
      'rules.allow',
      'servers.github',
      'something',
      'variants.odd',
    ]);
  });

  it('is nothing where a project only narrows or chooses', () => {
    const settings = {
      rules: { deny: ['bash'], ask: ['read'], allow: [] },
      mode: 'plan',
      limits: {},
      pools: {},
      hooks: {},
    };
    expect(shippedBy(settings)).toEqual([]);
    expect(digestOf(settings)).toBeNull();
  });

  it('any change of it is another content, and the order of keys is none', () => {
    const settings = { hooks: { a: { command: './x.sh', when: 'stop' } }, servers: { b: { url: 'http://x' } } };
    const same = { servers: { b: { url: 'http://x' } }, hooks: { a: { when: 'stop', command: './x.sh' } } };
    expect(digestOf(same)).toBe(digestOf(settings));
    expect(digestOf({ ...settings, limits: { maxSteps: 1 } })).toBe(digestOf(settings));
    expect(digestOf({ ...settings, hooks: { a: { command: './x.sh ', when: 'stop' } } })).not.toBe(digestOf(settings));
    expect(digestOf(settings, { './x.sh': '1' })).not.toBe(digestOf(settings, { './x.sh': '2' }));
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (one, other) => {
          const [left, right] = [one, other].map((hooks) => digestOf({ hooks: JSON.parse(JSON.stringify(hooks)) }));
          const isSame =
            JSON.stringify(shippedBy({ hooks: one as JsonObject })) ===
            JSON.stringify(shippedBy({ hooks: other as JsonObject }));
          if (isSame) expect(left).toBe(right);
          if (left !== right) expect(isSame).toBe(false);
        },
      ),
    );
  });

  it('names the files whose content counts too', () => {
    const shipped = shippedBy({
      hooks: { stop: [{ command: 'bash .pawl/hooks/stop.sh "a b" && $PAWL_PROJECT_DIR/x.py' }] },
      servers: { own: { command: 'node', args: ['tools/server.mjs'] } },
    });
    expect(filesNamedIn(shipped)).toEqual(expect.arrayContaining(['.pawl/hooks/stop.sh', 'x.py', 'tools/server.mjs']));
  });

  it('what a rule names is not among them: a script that is worked on does not lose the trust in the rule', () => {
    const shipped = shippedBy({ rules: { allow: ['bash(node build.js *)'] }, hooks: { stop: 'hook.js' } });
    expect(filesNamedIn(shipped)).toEqual(['hook.js']);
  });
});
