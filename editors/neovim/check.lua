-- A real client: Neovim without a screen goes through what people do in an editor, with a package in a folder of its own.
-- nvim --headless --clean -l is newer than some; so: nvim --headless --clean -c "luafile editors/neovim/check.lua"

local failed = false
local function expect(what, holds)
  io.stdout:write((holds and "ok: " or "FAILED: ") .. what .. "\n")
  failed = failed or not holds
end

local function run()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder .. "/P", "p")
  local function write(name, text)
    vim.fn.writefile(vim.split(text, "\n"), folder .. "/P/" .. name)
  end
  write("package.mo", "within;\npackage P\n  connector Pin\n    Real v;\n    flow Real i;\n  end Pin;\n"
    .. "  function f\n    input Real u \"Argument\";\n    output Real y;\n  algorithm\n    y := u^2;\n  end f;\nend P;")
  write("A.mo", "within P;\nmodel A \"Resistor\"\n  parameter Real resistance = 2 \"Resistance\";\n  Pin p, n;\n"
    .. "  Real voltage;\nequation\n  voltage = p.v - n.v;\n  voltage = resistance*p.i;\n  p.i + n.i = 0;\nend A;")
  write("C.mo", "within P;\nmodel C \"What quick fixes mend\"\n  connector Signal = input Real;\n  connector Result = output Real;\n"
    .. "  block Gain\n    Signal u;\n    Result y;\n  equation\n    y = 2*u;\n  end Gain;\n"
    .. "  model World\n    parameter Real g = 9.81;\n  end World;\n  model Mass\n    outer World world;\n"
    .. "    Real f = world.g;\n  end Mass;\n  Gain first, second;\n  Mass mass;\n  World many[2](g = 3);\n"
    .. "  parameter Real half = 1/2;\n  Real km(unit = \"km\") = 1;\n  Real m(unit = \"m\");\n  Real kg(unit = \"kg\");\n"
    .. "equation\n  m = km;\n  kg = m;\n  connect(first.y, second.u);\nend C;")
  write("B.mo", "within P;\nmodel B\n  A a(resistance = 3);\n  Real z;\nequation\n  connect(a.p, a.n);\n  z = a.voltages;\nend B;")

  vim.cmd("edit " .. folder .. "/P/B.mo")
  vim.bo.filetype = "modelica"
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({
    name = "kausal",
    cmd = { vim.env.KAUSAL or "kausal", "lsp" },
    root_dir = folder,
    workspace_folders = { { uri = vim.uri_from_fname(folder), name = "P" } },
  })
  vim.lsp.buf_attach_client(buffer, client)

  local function has(text)
    for _, d in ipairs(vim.diagnostic.get(buffer)) do
      if string.find(d.message, text, 1, true) then return true end
    end
    return false
  end
  expect("diagnostics", vim.wait(20000, function() return has("no element voltages") end))

  local function ask(method, line, character, more)
    local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line, character = character } }
    for k, v in pairs(more or {}) do params[k] = v end
    local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000) or {}
    for _, answer in pairs(answers) do return answer.result end
  end
  local hover = ask("textDocument/hover", 2, 7)
  expect("hover", hover and string.find(hover.contents.value, "Resistance", 1, true))
  local definition = ask("textDocument/definition", 2, 7)
  expect("definition", definition and vim.endswith(definition.uri, "/P/A.mo") and definition.range.start.line == 2)
  local completion = ask("textDocument/completion", 6, 8)
  local labels = vim.tbl_map(function(i) return i.label end, completion and completion.items or {})
  expect("completion", vim.tbl_contains(labels, "voltage") and vim.tbl_contains(labels, "p"))
  local everything = { range = { start = { line = 0, character = 0 }, ["end"] = { line = 8, character = 0 } } }
  local hints = ask("textDocument/inlayHint", 0, 0, everything)
  expect("inlay hints", hints ~= nil)
  local declared = ask("textDocument/declaration", 2, 7)
  expect("declaration", declared and vim.endswith(declared.uri, "/P/A.mo"))
  local prepared = ask("textDocument/prepareRename", 2, 7)
  expect("what is renamed", prepared ~= nil)
  local lenses = ask("textDocument/codeLens", 0, 0) or {}
  local titles = vim.tbl_map(function(l) return l.command and l.command.title or "" end, lenses)
  expect("code lenses", vim.tbl_contains(titles, "Simulate") and vim.tbl_contains(titles, "Check"))
  local tokens = ask("textDocument/semanticTokens/full", 0, 0)
  expect("semantic tokens", tokens and #tokens.data > 0 and #tokens.data % 5 == 0)
  local some = ask("textDocument/semanticTokens/range", 0, 0, everything)
  expect("semantic tokens of a range", some and #some.data > 0)
  local folds = ask("textDocument/foldingRange", 0, 0)
  expect("folding", folds and #folds > 0 and folds[1].startLine == 1)
  local grown = ask("textDocument/selectionRange", 0, 0, { positions = { { line = 6, character = 8 } } })
  expect("selections that grow", grown and grown[1] and grown[1].parent ~= nil)
  local references = ask("textDocument/references", 2, 7, { context = { includeDeclaration = true } })
  expect("references", references and #references >= 3)
  local kind = ask("textDocument/typeDefinition", 2, 4)
  expect("type definition", kind and (kind.uri or (kind[1] and kind[1].uri)) ~= nil)
  local found = ask("workspace/symbol", 0, 0, { query = "pin" })
  expect("symbols of the workspace", found and #found > 0)
  local types = ask("textDocument/prepareTypeHierarchy", 2, 2)
  expect("type hierarchy", types and types[1] and types[1].name == "A")

  -- A request of the server that takes an item of a hierarchy.
  local function follow(method, item)
    local answers = vim.lsp.buf_request_sync(buffer, method, { item = item }, 20000) or {}
    for _, answer in pairs(answers) do return answer.result end
  end
  local highlights = ask("textDocument/documentHighlight", 3, 7)
  expect("highlights", highlights and #highlights >= 2)
  local symbols = ask("textDocument/documentSymbol", 0, 0)
  expect("symbols", symbols and symbols[1].name == "B" and #symbols[1].children == 2)
  local range = { start = { line = 6, character = 0 }, ["end"] = { line = 6, character = 20 } }
  local actions = ask("textDocument/codeAction", 6, 8, { range = range, context = { diagnostics = {} } })
  expect("quick fix", actions and actions[1] and actions[1].edit)

  -- The fix is applied to the buffer, which is not saved: the error is gone.
  if actions and actions[1] then
    vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
    local line = vim.api.nvim_buf_get_lines(buffer, 6, 7, true)[1]
    expect("the fix is applied", line == "  z = a.voltage;")
    expect("no diagnostics behind it", vim.wait(20000, function() return #vim.diagnostic.get(buffer) == 0 end))
  end
  vim.api.nvim_buf_set_lines(buffer, 5, 6, true, { "a.p.v=0;" })
  local edits = ask("textDocument/formatting", 0, 0, { options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits or {}, buffer, "utf-16")
  expect("formatting", vim.api.nvim_buf_get_lines(buffer, 5, 6, true)[1] == "  a.p.v = 0;")
  local renamed = ask("textDocument/rename", 2, 7, { newName = "ohms" })
  vim.lsp.util.apply_workspace_edit(renamed or {}, "utf-16")
  expect("rename here", vim.api.nvim_buf_get_lines(buffer, 2, 3, true)[1] == "  A a(ohms = 3);")
  local other = vim.uri_to_bufnr(vim.uri_from_fname(folder .. "/P/A.mo"))
  vim.fn.bufload(other)
  expect("rename in the other file", string.find(vim.api.nvim_buf_get_lines(other, 2, 3, true)[1], "Real ohms", 1, true))

  expect("formatting of a range", (function()
    vim.api.nvim_buf_set_lines(buffer, 5, 6, true, { "a.p.v=0;" })
    local part = { start = { line = 5, character = 0 }, ["end"] = { line = 5, character = 8 } }
    local found = ask("textDocument/rangeFormatting", 0, 0, { range = part, options = { tabSize = 2, insertSpaces = true } })
    vim.lsp.util.apply_text_edits(found or {}, buffer, "utf-16")
    return vim.api.nvim_buf_get_lines(buffer, 5, 6, true)[1] == "  a.p.v = 0;"
  end)())

  -- What is typed: a modifier, a unit, an annotation, what fits in connect, an argument of a function.
  local function complete(line, text, character)
    vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, { text })
    local answer = ask("textDocument/completion", line, character or #text)
    return vim.tbl_map(function(i) return i.label end, answer and (answer.items or answer) or {})
  end
  expect("completion of modifiers", vim.tbl_contains(complete(2, "  A a("), "resistance"))
  expect("completion of units", #complete(3, '  Real z(unit = "') > 0)
  expect("completion of annotations", #complete(3, "  Real z annotation(") > 0)
  vim.api.nvim_buf_set_lines(buffer, 2, 4, true, { "  A a, b;", "  Real z;" })
  expect("completion in connect", vim.tbl_contains(complete(5, "  connect(a.p, b."), "n"))
  vim.api.nvim_buf_set_lines(buffer, 5, 6, true, { "  a.p.v=f(z);" })
  local signature = ask("textDocument/signatureHelp", 5, 10)
  expect("signature help", signature and signature.signatures and #signature.signatures > 0)
  local typed = ask("textDocument/onTypeFormatting", 5, 13, { ch = ";", options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(typed or {}, buffer, "utf-16")
  expect("formatting while typing", vim.api.nvim_buf_get_lines(buffer, 5, 6, true)[1] == "  a.p.v = f(z);")

  -- Names in scope, members behind a dot, classes with the import they need.
  expect("completion of names in scope", vim.tbl_contains(complete(5, "  z = "), "a"))
  expect("completion of members", vim.tbl_contains(complete(5, "  z = a."), "voltage"))
  vim.api.nvim_buf_set_lines(buffer, 5, 6, true, { "  z = f(z);" })

  -- Calls of a function, and classes that are based on one, here and in a buffer that is not saved.
  local function open(name, text)
    vim.cmd("edit " .. folder .. "/P/" .. name)
    vim.bo.filetype = "modelica"
    buffer = vim.api.nvim_get_current_buf()
    if text then vim.api.nvim_buf_set_lines(buffer, 0, -1, true, vim.split(text, "\n")) end
    vim.lsp.buf_attach_client(buffer, client)
  end
  local called = ask("textDocument/prepareCallHierarchy", 5, 6)
  expect("call hierarchy", called and called[1] and called[1].name == "f")
  local incoming = called and follow("callHierarchy/incomingCalls", called[1])
  expect("who calls a function", incoming and #incoming >= 1)
  expect("what a function calls", called and follow("callHierarchy/outgoingCalls", called[1]) ~= nil)
  open("D.mo", "within P;\nmodel D\n  extends A;\nend D;")
  local base = ask("textDocument/prepareTypeHierarchy", 2, 10)
  expect("types below", base and base[1] and (function()
    for _, one in ipairs(follow("typeHierarchy/subtypes", base[1]) or {}) do
      if one.name == "D" then return true end
    end
  end)())
  local own = ask("textDocument/prepareTypeHierarchy", 1, 6)
  local above = own and own[1] and follow("typeHierarchy/supertypes", own[1])
  expect("types above", above and above[1] and above[1].name == "A")
  local based = ask("textDocument/implementation", 2, 10)
  expect("implementations", based and #based >= 1)
  expect("symbols of buffers that are not saved", (function()
    local symbols = ask("workspace/symbol", 0, 0, { query = "D" }) or {}
    for _, one in ipairs(symbols) do
      if one.name == "D" then return true end
    end
  end)())

  -- Each quick fix takes its diagnostic away.
  open("C.mo")
  local function line_of(text)
    for at, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, true)) do
      if string.find(line, text, 1, true) then return at - 1 end
    end
  end
  local function fix(what, message, title)
    -- Behind an edit places are old until the next check.
    local function attempt()
      for _, d in ipairs(vim.diagnostic.get(buffer)) do
        if string.find(d.message, message, 1, true) then
          local at = { start = { line = d.lnum, character = d.col }, ["end"] = { line = d.end_lnum, character = d.end_col } }
          for _, action in ipairs(ask("textDocument/codeAction", 0, 0, { range = at, context = { diagnostics = {} } }) or {}) do
            if string.find(action.title, title, 1, true) then
              vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
              return true
            end
          end
        end
      end
    end
    local mended = vim.wait(20000, attempt)
    expect("quick fix: " .. what, mended and vim.wait(20000, function() return not has(message) end))
  end
  fix("a missing inner", "there is no inner component world", "inner P.C.World world;")
  fix("a missing each", "`each` is missing", "Insert `each`")
  fix("an open input", "the input first.u is not connected", "first.u")
  fix("units of another scale", "\"m\" and \"km\"", "Convert to \"m\": 1000*km")
  fix("units of something else", "\"kg\" and \"m\"", "Declare kg in \"m\"")
  local value = ask("textDocument/inlayHint", 0, 0, { range = { start = { line = 0, character = 0 }, ["end"] = { line = 40, character = 0 } } })
  expect("values of parameters as hints", value and (function()
    for _, one in ipairs(value) do
      if one.label == "= 0.5" then return true end
    end
  end)())
  local equation = line_of("kg = m;")
  vim.api.nvim_buf_set_lines(buffer, equation, equation + 1, true, { "  kg := m;" })
  fix("an assignment among equations", ":=", "Replace by =")
  vim.lsp.stop_client(client)
end

local done, message = pcall(run)
if not done then
  expect(tostring(message), false)
end
vim.cmd(failed and "cquit 1" or "qall!")
