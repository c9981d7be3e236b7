/** Scripts of `sed` and `awk`, and formats of `printf`, that do nothing but print: they read, write, set and run nothing else. */

/**
 * What stands between two delimiters. In brackets stands neither a delimiter nor a `]` first, nor a `[` but that of a
 * class: where such an expression ends, one `sed` sees otherwise than the next, and this otherwise than any.
 */
const regex = (delimiter: string) =>
  String.raw`(?:[^${delimiter}\\\n[]|\\[^\n]|\[(?!\^?\])(?:\[:[a-z]+:\]|[^\][\\\n${delimiter}])+\])+`;
const replacement = (delimiter: string) => String.raw`(?:[^${delimiter}\\\n]|\\[^\n])*`;
const substitutions = Array.from('/|,#:@', (each) => {
  const delimiter = each === '|' ? String.raw`\|` : each;
  return `s${delimiter}${regex(delimiter)}${delimiter}${replacement(delimiter)}${delimiter}[gpIi0-9]*`;
});
const address = String.raw`(?:[0-9]+(?:~[0-9]+)?|\$|/${regex('/')}/I?)`;
const range = String.raw`${address}(?:,[ ]*(?:${address}|[+~][0-9]+))?[ \t]*(?:![ \t]*)?`;
const command = String.raw`(?:[pdqQ=lnNDPhHgGx]|${substitutions.join('|')})[ \t]*(?=[;\n}]|$)`;

/** Of its commands `w`, `s///w` and `r` open files and `e` and `s///e` run programs; labels are left out too. */
export const printingSed = new RegExp(String.raw`^(?:[;\s}]|(?:${range})?(?:\{|${command}))*$`);

/**
 * `>` and `|` write and run only behind `print` and `printf`, everything else by a name of its own. `@` calls what a
 * variable names or loads a file, and the list of arguments says which files are read; `SYMTAB` is all of them by texts.
 */
export const printingAwk =
  /^(?![\s\S]*(?:system|getline|@|ARG[CV]|ENVIRON|PROCINFO|SYMTAB|\\\r?\n))(?:(?!print)[\s\S])*(?:print[^>|]*)?$/;

/** That of bash sets with `%n` the variable that the next word names: `PATH` to `1`, and so to a folder of the project. */
export const plainFormat = /^(?:[^%]|%%|%[-+ #0'*.1-9hjlLtz]*(?:[^-+ #0'*.1-9hjlLtzn]|$))*$/;
