import { add, describe, finish } from './items.ts';
import { load, save } from './store.ts';

const path = process.env.TODO_FILE ?? 'todo.json';
const [command = 'list', argument = ''] = process.argv.slice(2);

switch (command) {
  case 'add':
    save(path, add(load(path), argument));
    break;
  case 'done':
    save(path, finish(load(path), Number(argument)));
    break;
  case 'list':
    for (const item of load(path)) console.log(describe(item));
    break;
  default:
    // TODO: suggest the command that was probably meant
    console.error(`There is no command "${command}". There are: add, done, list.`);
    process.exitCode = 2;
}
