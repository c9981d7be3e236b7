/** Imported before everything else, so that a Node that is too old for the rest can still say so. */

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(`pawl needs Node 22.19 or newer, and this is Node ${process.versions.node}. Update Node.`);
}
