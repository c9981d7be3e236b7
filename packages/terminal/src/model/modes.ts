import { type PermissionMode, permissionModes } from '@pawl/protocol';

export const isPermissionMode = (word: string): word is PermissionMode => permissionModes.some((mode) => mode === word);
