/** The permission modes and their order: the one place, from which all lists and comparisons follow. */
import type { PermissionMode } from './types.ts';

/** How much each lets happen without a question; exhaustive by its type, so that no mode is forgotten. */
const widths = { manual: 1, 'accept-edits': 2, plan: 0, auto: 3 } satisfies { [Mode in PermissionMode]: number };

/** All modes, in the order in which they are shown. */
export const permissionModes = Object.keys(widths) as readonly PermissionMode[];

/** Of two modes the one that asks or refuses more. */
export const stricterMode = (one: PermissionMode, other: PermissionMode): PermissionMode =>
  widths[one] < widths[other] ? one : other;

/** Whether a mode allows more than the default does, which only a person may choose. */
export const isWiderMode = (mode: PermissionMode | null | undefined): boolean =>
  mode != null && widths[mode] > widths.manual;
