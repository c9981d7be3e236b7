import type { Table } from '../format.ts';

/** Programs that change files, reach others, or are the shell's own. */
export const changing: Table = {
  rows: `
    works cp,install : &last -aRrfinpPuvTdlHLsx -m:mode -t:write --archive --recursive --force --no-clobber --interactive --preserve?text --parents --update?text --verbose --no-target-directory --no-dereference --dereference --target-directory:write --mode:mode : write*
    works ln : &last -sfnvrTi -t:write --symbolic --force --no-dereference --verbose --relative --no-target-directory : write*
    works rsync : &last -aAcghHlLnoOpPqrRsStuvWxXyz0dDE --archive --verbose --delete --delete-after --delete-excluded --dry-run --exclude:text --include:text --exclude-from:read --progress --recursive --compress --checksum --update --stats --partial --human-readable --itemize-changes --ignore-existing --existing --links --perms --times --max-size:text --info:text --bwlimit:text --prune-empty-dirs --mkpath : write*
    works mv : -finuvT -t:write --force --interactive --no-clobber --update?text --verbose --no-target-directory --target-directory:write : write*
    works rm,rmdir,unlink : -rRfivdIp --recursive --force --interactive?text --verbose --dir --parents --ignore-fail-on-non-empty --one-file-system --preserve-root : write*
    works mkdir,mkfifo,mknod : -pv -m:mode --parents --verbose --mode:mode : write*
    works touch : -acmh -d:text -t:text -r:read --no-create --date:text --reference:read : write*
    works truncate : -co -s:text -r:read --size:text --no-create : write*
    works chmod : -Rvfc --recursive --verbose --reference:read : mode write*
    works chown,chgrp : -Rvfch --recursive --verbose --reference:read : text write*
    works shred,sponge : -uvza -n:number : write*
    works dd : &plain : source*
    works patch : &sweeps -NRslEft -p:number --dry-run --forward --reverse --silent --strip:number --force --batch !-i:read !-d:read !-o:write !-r:write !--input:read !--directory:read !--output:write : write*
    works tar : &bundle -tvzjJapk -f:member --list --verbose --gzip --bzip2 --xz --zstd --auto-compress --file:member --exclude:text --wildcards --strip-components:number --no-same-owner --totals : text*
    works tar : &bundle &sweeps !-c !-x !-r !-u !-A -tvzjJapkmo !-C:write -f:write -T:read --list --verbose --gzip --bzip2 --xz --zstd --auto-compress !--create !--extract !--get !--append !--update !--directory:write --file:write --exclude:text --exclude-from:read --exclude-vcs --wildcards --strip-components:number --no-same-owner --keep-old-files --totals : member*
    works unzip,zipinfo : -lvtZqp+ : read text*
    works unzip : &sweeps -oqnju !-d:write : read text*
    works gzip,gunzip,bzip2,bunzip2,xz,unxz,zstd : -cdfklrtvqn -# --stdout --decompress --force --keep --list --recursive --test --verbose --best --fast : write*
    works zip : -rqju9v0e -x:text --recurse-paths --quiet : write*
    works split,csplit : -dn:text -l:number -b:text -a:number : read write

    works curl :
      -sSLfgiIvkGN0346#jZ -X:text -H:text -d:any -A:text -e:text -u:text -b:any -m:number -r:text -F:any --silent --show-error --location --fail --fail-with-body --include --head --verbose --insecure --get --request:text
      --header:text --data:any --data-raw:text --data-binary:any --data-urlencode:any --json:any --user-agent:text --referer:text --user:text --cookie:any --max-time:number
      --connect-timeout:number --retry:number --retry-delay:number --retry-all-errors --compressed --form:any --form-string:text --url:text --no-progress-meter --progress-bar --http1.1 --http2 --ipv4 --ipv6 --globoff --resolve:text --url-query:text --no-buffer --range:text : any*
    works wget : -qScNr -T:number -t:number --quiet --spider --server-response --timeout:number --tries:number --no-check-certificate --header:text --user-agent:text --max-redirect:number --no-verbose --method:text --continue --timestamping : any*
    works ssh,scp,sftp : &posix -46ACqTtNvnrp -p:number -P:number -l:text : any*

    works export,declare,typeset,local,readonly : &builtin -xrgplutfFn -aA : assign*
    works unset : &builtin -fvn : name*
    works read : &builtin &posix -r -s -e -p:text -d:text -n:number -N:number -t:number -u:number -a:name : name*
    works getopts : &builtin : text name text*
    works umask,ulimit,jobs,fg,bg,kill,disown : : any*
    works printf : &builtin &posix -v:name : format text*
    works vim,vi,nvim,emacs,nano,less,more,man : -RnN : any*
    works gdb,strace,ltrace,valgrind,perf : &posix : code*
  `,
};

/**
 * Programs that run the command in their words. A word of theirs that stands in front of it and is not here is a doubt.
 */
export const wrapping: Table = {
  rows: `
    wraps builtin,nohup : &posix : command
    wraps command : &posix -p : command
    wraps caffeinate : &posix -dimsu -t:text -w:text : command
    wraps env : &posix -i0v -u:text --ignore-environment --null --debug --unset:text : assign* command
    wraps exec : &posix -cl -a:text : command
    wraps ionice : &posix -t -c:text -n:text --ignore --class:text --classdata:text : command
    wraps nice : &posix -n:text -# --adjustment:text : command
    wraps setsid : &posix -cfw --ctty --fork --wait : command
    wraps stdbuf : &posix -i:text -o:text -e:text --input:text --output:text --error:text : command
    wraps taskset : &posix -c --cpu-list : text command
    wraps time : &posix -p : assign* command
    wraps timeout : &posix -fpv -k:text -s:text --preserve-status --foreground --verbose --kill-after:text --signal:text : text command
    wraps unbuffer : &posix -p : command
    wraps xargs :
      &posix &adds -0rtx -a:read -d:text -E:text -L:number -n:number -P:number -s:number -I:text --null --no-run-if-empty --verbose --exit --arg-file:read --delimiter:text --eof:text --max-lines:number --max-args:number --max-procs:number --max-chars:number : command
    governs busybox,toybox : &posix : command
    governs chroot : &posix : write command
    governs chrt : &posix -bfiorm : text command
    governs doas : &posix -nL -u:text -C:text : command
    governs flock : &posix -nsxeuoF -w:text -E:text : write command
    governs sudo : &posix -AbEHknPSN -u:text -g:text -p:text -C:text -T:text -h:text --non-interactive --preserve-env --set-home --stdin --background --user:text --group:text --prompt:text --host:text : assign* command

    wraps bash,sh,dash,ash,ksh,mksh,zsh,yash : &posix -ceuxvl -o:option : program text*
  `,
};
