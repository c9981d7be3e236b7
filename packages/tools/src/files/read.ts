import type { Tool, ToolContext, ToolOutcome, ToolScope } from '@pawl/engine';
import { isPawlError, PawlError } from '@pawl/protocol';
import type { ToolOptions } from '../options.ts';
import { type Page, pageOf } from '../pages.ts';
import { judgedPlace, leadsOutside, type Place, resolvePlace } from '../paths.ts';
import { defineTool, objectSchema } from '../tool.ts';
import { refuseUnjudged } from './disk/operation.ts';
import { decodeText, isBinary, lineEndOf, withLineEnd } from './encodings.ts';
import { isMedia, isMediaFile, maxMediaBytes, showMedia } from './read-media.ts';
import { type FileBytes, readFileBytes } from './regular-file.ts';
import { isNotebook, notebookText } from './text/notebook.ts';

type ReadInput = { path: string; offset?: number; limit?: number };

/** How a model names a stored output instead of a file. */
const outputPrefix = 'output:';

/** Shows a text file, or a tool's output that was too long, page by page; an image or a PDF as it is. */
export function readTool(options: ToolOptions): Tool {
  return defineTool<ReadInput>({
    name: 'read',
    description:
      'Shows a text file with line numbers, a notebook by cells, or an image (PNG, JPEG, GIF, WebP) or PDF itself. A long text comes in pages; each says how to read on.',
    input: objectSchema(
      {
        path: { type: 'string', description: 'File, or output:<digest> of a result that was cut' },
        offset: { type: 'integer', minimum: 1, description: 'First line, from 1' },
        limit: { type: 'integer', minimum: 1, description: 'Most lines' },
      },
      ['path'],
    ),
    isOutside: true,
    effect: 'read',
    subjectKind: 'path',
    subject: ({ path }) => path,
    paths: async ({ path }, scope) => (isOutput(path) ? [] : [(await judgedPlace(path, scope)).path]),
    approval: ({ path }, scope) => !isOutput(path) && leadsOutside(path, scope),
    run: (input, context) => (isOutput(input.path) ? readOutput(input, context) : readFile(input, context, options)),
  });
}

const isOutput = (path: string) => path.startsWith(outputPrefix);

async function readOutput(input: ReadInput, scope: ToolScope): Promise<ToolOutcome> {
  const digest = input.path.slice(outputPrefix.length);
  const bytes = /^sha256-[0-9a-f]{64}$/.test(digest) ? await scope.blobs.get(digest) : null;
  if (bytes === null)
    throw new PawlError('not_found', `There is no stored output ${digest}. Use the digest that the cut result named.`);
  return { content: show(pageOf(new TextDecoder().decode(bytes), input, { wrapsLines: true })) };
}

async function readFile(input: ReadInput, scope: ToolContext, options: ToolOptions): Promise<ToolOutcome> {
  const place = await resolvePlace(input.path, scope.cwd);
  refuseUnjudged(place, scope);
  const file = await readWhole(place, options.maxFileBytes);
  if (file === null)
    throw new PawlError('not_found', `${place.shown} does not exist. Use list or glob to see what does.`);
  if (await isMedia(file.bytes)) return showMedia(place, file, scope);
  if (isBinary(file.bytes)) {
    throw new PawlError(
      'not_text',
      `${place.shown} is a binary file of ${file.bytes.length} bytes, which read cannot show.`,
    );
  }
  const decoded = decodeText(file.bytes);
  const text = decoded?.text ?? new TextDecoder().decode(file.bytes);
  const notes: string[] = [];
  if (decoded === null) notes.push('not valid UTF-8; bytes that could not be read are shown as \ufffd');
  const end = lineEndOf(text);
  if (decoded !== null && end !== '\n') notes.push(`lines end with ${end === '\r' ? 'CR' : 'CRLF'}, which edit keeps`);
  if (decoded?.encoding.startsWith('utf16')) notes.push('UTF-16, which edit keeps');
  const cells = isNotebook(input.path) ? notebookText(text) : null;
  if (cells !== null) notes.push('a notebook; edit works on the source of its cells');
  const shown = cells ?? (end === '\r' ? withLineEnd(text, '\n') : text);
  return {
    content: show(pageOf(shown, input, { wrapsLines: false }), notes),
    details: { files: { [place.path]: file.digest } },
  };
}

/** An image or a PDF may be larger than a text: it is shrunk, or says itself why it is too large. */
async function readWhole(place: Place, maxFileBytes: number): Promise<FileBytes | null> {
  try {
    return await readFileBytes(place, maxFileBytes);
  } catch (error) {
    if (!isPawlError(error, 'too_large') || !(await isMediaFile(place))) throw error;
    return readFileBytes(place, maxMediaBytes);
  }
}

function show({ lines, total, next }: Page, notes: readonly string[] = []): string {
  if (total === 0) return '(empty)';
  const numbered = lines.map(({ number, text }) => `${String(number).padStart(6)}\t${text}`);
  const all = next === null ? notes : [`of ${total} lines; read on with offset ${next}`, ...notes];
  return all.length === 0 ? numbered.join('\n') : `${numbered.join('\n')}\n(${all.join('; ')})`;
}
