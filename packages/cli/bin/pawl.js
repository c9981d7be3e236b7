#!/usr/bin/env node
// Plain old JavaScript, so that a Node that is too old for the rest can still say so.
'use strict';

var needed = '22.19';
var found = process.versions.node.split('.').map(Number);

if (found[0] < 22 || (found[0] === 22 && found[1] < 19)) {
  console.error('pawl needs Node %s or newer, and this is Node %s. Update Node.', needed, process.versions.node);
  process.exit(2);
} else {
  require('./start.js');
}
