import type { ModelRequest, ToolSpec } from '@pawl/engine';
import type { Json, JsonObject } from '@pawl/protocol';
import { type Fields, fields, list, string } from './fields.ts';
import { memo } from './json.ts';

/** What a provider asks of the schema of a tool's input beyond JSON Schema itself. */
export type SchemaRules = {
  /** The root must name its properties, be there none. */
  needsProperties?: true;
  /** Names of properties that it takes at the root. */
  propertyNames?: RegExp;
};

const combinations = ['allOf', 'anyOf', 'oneOf'] as const;
/** What no provider takes at the root of a tool's input. */
const notAtRoot = [
  ...combinations,
  'not',
  'if',
  'then',
  'else',
  'enum',
  'const',
  'dependentSchemas',
  'dependentRequired',
];

/**
 * The tools with schemas that the provider takes, and a sentence for each that it cannot be offered. A schema that is
 * taken as it is stays the same object. Whatever is widened here, the engine still holds the input to the tool's own schema.
 * Sources, of 2026-11: "input_schema does not support oneOf, allOf, or anyOf at the top level" (Anthropic), "schema must
 * have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level", "array schema missing items" and
 * "object schema missing properties" (OpenAI).
 */
function offeredTools(tools: readonly ToolSpec[], rules: SchemaRules): { tools: readonly ToolSpec[]; left: string[] } {
  const left: string[] = [];
  const offered = tools.flatMap((tool): ToolSpec[] => {
    const inputSchema = takenSchema(tool.inputSchema, rules);
    const refused = Object.keys(fields(inputSchema.properties)).find(
      (name) => rules.propertyNames?.test(name) === false,
    );
    if (refused === undefined) return [inputSchema === tool.inputSchema ? tool : { ...tool, inputSchema }];
    left.push(
      `The tool ${tool.name} is not offered to this model: its provider takes no input called ${JSON.stringify(refused)}. Names have letters, digits, ".", "-" and "_", 64 at most.`,
    );
    return [];
  });
  const isSame = offered.length === tools.length && offered.every((tool, index) => tool === tools[index]);
  return { tools: isSame ? tools : offered, left };
}

/** The same for requests: each list of tools is looked at once. */
export function createToolOffer(
  rules: SchemaRules,
): (request: ModelRequest) => { request: ModelRequest; left: string[] } {
  const offerOf = memo((tools: readonly ToolSpec[]) => offeredTools(tools, rules));
  return (request) => {
    const { tools, left } = offerOf(request.tools);
    return { request: { ...request, tools }, left };
  };
}

/** The schema itself, or one that the provider takes and that allows at least as much. */
export function takenSchema(schema: JsonObject, rules: SchemaRules = {}): JsonObject {
  const root = withObjectRoot(withItems(schema) as JsonObject);
  return rules.needsProperties === true && root.properties === undefined ? { ...root, properties: {} } : root;
}

/** Keywords whose value maps names to schemas, and those whose value is no schema. */
const namedSchemas: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const plainValues: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Every array says what is in it: anything, where nothing is said; a list of schemas by place becomes any of them. */
function withItems(value: Json, isByName = false): Json {
  if (Array.isArray(value))
    return sameOr(
      value,
      value.map((inner) => withItems(inner)),
    );
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => {
    if (!isByName && plainValues.has(key)) return [key, inner];
    return [key, withItems(inner, !isByName && namedSchemas.has(key))];
  });
  const result = entries.every(([key, inner]) => value[key] === inner) ? value : Object.fromEntries(entries);
  if (isByName || !list([result.type].flat()).includes('array')) return result;
  if (Array.isArray(result.items))
    return { ...result, items: result.items.length === 0 ? {} : { anyOf: result.items } };
  return typeof result.items === 'object' && result.items !== null ? result : { ...result, items: {} };
}

function sameOr(before: Json[], after: Json[]): Json[] {
  return after.every((inner, index) => inner === before[index]) ? before : after;
}

/** A root of type object, without what only narrows it: that is said in words instead. */
function withObjectRoot(schema: JsonObject): JsonObject {
  const isPlain = schema.type === 'object' && schema.$ref === undefined && notAtRoot.every((key) => !(key in schema));
  if (isPlain) return schema;
  const root = resolved(schema, schema, 0);
  const kept: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(root)) {
    if (value !== undefined && !notAtRoot.includes(key)) kept[key] = value as Json;
  }
  const parts = partsOf(root, schema, 0);
  const properties = mergedProperties(parts.map(({ properties }) => fields(properties)));
  const required = requiredOf(root, schema, 0);
  const words = narrowing(root);
  // What a branch allows must not be shut out by the root.
  const isOpen = parts.length > 1 && kept.additionalProperties === false;
  if (isOpen) delete kept.additionalProperties;
  delete kept.required;
  const description = [string(root.description), words].filter((text) => text !== '').join(' ');
  return {
    ...kept,
    type: 'object',
    ...(description === '' ? {} : { description }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  } as JsonObject;
}

const deepest = 8;

function resolved(schema: Fields, whole: JsonObject, depth: number): Fields {
  const name = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(string(schema.$ref));
  if (name === null || depth > deepest) return schema;
  const [, place = '', key = ''] = name;
  const { $ref: _, ...own } = schema;
  return { ...resolved(fields(fields(whole[place])[key]), whole, depth + 1), ...own };
}

function branchesOf(schema: Fields, key: (typeof combinations)[number], whole: JsonObject, depth: number): Fields[] {
  if (depth > deepest) return [];
  return list(schema[key]).map((branch) => resolved(fields(branch), whole, depth));
}

/** The schema and all that it is put together from. */
function partsOf(schema: Fields, whole: JsonObject, depth: number): Fields[] {
  const inner = combinations.flatMap((key) => branchesOf(schema, key, whole, depth));
  return [schema, ...inner.flatMap((branch) => partsOf(branch, whole, depth + 1))];
}

/** A property that differs from branch to branch may be as any of them has it. */
function mergedProperties(all: readonly Fields[]): JsonObject {
  const found = new Map<string, Map<string, Json>>();
  for (const properties of all) {
    for (const [name, schema] of Object.entries(properties)) {
      const forms = found.get(name) ?? new Map<string, Json>();
      found.set(name, forms.set(JSON.stringify(schema), schema as Json));
    }
  }
  return Object.fromEntries(
    [...found].map(([name, forms]): [string, Json] => {
      const [first = {}, ...others] = forms.values();
      return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
    }),
  );
}

/** What must be there whichever branch holds. */
function requiredOf(schema: Fields, whole: JsonObject, depth: number): string[] {
  const own = list(schema.required).filter((name) => typeof name === 'string');
  const of = (key: (typeof combinations)[number]) =>
    branchesOf(schema, key, whole, depth).map((branch) => requiredOf(branch, whole, depth + 1));
  const ofAny = [of('anyOf'), of('oneOf')].flatMap(([first = [], ...others]) =>
    first.filter((name) => others.every((names) => names.includes(name))),
  );
  return [...new Set([...own, ...of('allOf').flat(), ...ofAny])];
}

/** What the root says beyond its properties, for the model to read. */
function narrowing(root: Fields): string {
  const said = notAtRoot.filter((key) => root[key] !== undefined && key !== 'allOf');
  if (said.length === 0) return '';
  const rest = Object.fromEntries(said.map((key) => [key, root[key]]));
  return `The input must also satisfy this JSON Schema: ${JSON.stringify(rest)}`;
}
